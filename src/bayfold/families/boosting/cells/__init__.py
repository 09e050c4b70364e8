"""Tables of three columns, and of columns of many categories, on short grids, where left-out rows gain by them."""
