"""Measures of loss, risk and anonymity, and the checks of promises."""
