"""Terms as products of powers of factors, and sums as what their summands share times the rest."""
