"""How a criterion of many candidates is known fast."""
