"""Groups that also keep a confidential column from being given away: labels in, labels out."""
