"""Groups that must hold limits on confidential values."""
