"""Text models: encoders (texts -> vectors), and re-rankers (a question and texts -> scores)."""

from ltr.text_models.encoders import Encoder, FunctionEncoder, open_encoder
from ltr.text_models.rerankers import FunctionReranker, Reranker, open_reranker, reranker

__all__ = ["Encoder", "FunctionEncoder", "FunctionReranker", "Reranker", "open_encoder", "open_reranker", "reranker"]
