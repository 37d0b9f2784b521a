"""Re-rankers: a question and texts -> scores, for the best candidates of a topic."""

from ltr.rerankers.base import FunctionReranker, Reranker, open_reranker, reranker

__all__ = ["FunctionReranker", "Reranker", "open_reranker", "reranker"]
