"""Encoders: texts -> vectors of unit length, whose cosines say how near two texts are in meaning."""

from ltr.encoders.base import Encoder, FunctionEncoder, open_encoder

__all__ = ["Encoder", "FunctionEncoder", "open_encoder"]
