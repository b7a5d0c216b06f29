"""Lower bounds of the optimum: from one dual point in closed form, from a bundle of cutting planes."""
