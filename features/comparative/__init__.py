"""Columns of comparative questions, and the language models behind them."""
