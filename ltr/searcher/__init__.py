"""The object that commands, the page, pipelines and notebooks work with."""

from ltr.searcher.searcher import Searcher as Searcher
