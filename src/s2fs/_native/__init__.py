"""How the criterion of many candidates is known fast."""
