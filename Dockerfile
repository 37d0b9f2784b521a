# Riposte with its models, to answer topics where there is no network: docker build -t riposte .
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY LICENSE NOTICE README.md pyproject.toml requirements.txt ./
COPY features ./features
COPY models ./models
COPY ltr ./ltr
COPY experiments ./experiments
RUN python -m venv /opt/riposte \
    && /opt/riposte/bin/python -m pip install --no-cache-dir --require-hashes --requirement requirements.txt \
    && /opt/riposte/bin/python -m pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11-slim-bookworm
# LightGBM shares its work out by OpenMP.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1=12.* \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 riposte
COPY --from=build /opt/riposte /opt/riposte
ENV PATH=/opt/riposte/bin:$PATH RIPOSTE_CACHE=/tmp/riposte
USER 1000:1000
WORKDIR /home/riposte
RUN riposte --version
ENTRYPOINT ["riposte"]
CMD ["--help"]
