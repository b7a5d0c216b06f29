"""What is solved: the problem and its fit, CSR rows and their order, the table of losses."""
