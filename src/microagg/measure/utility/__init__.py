"""Utility for analysts: prediction, regression and subgroup means of a target column."""
