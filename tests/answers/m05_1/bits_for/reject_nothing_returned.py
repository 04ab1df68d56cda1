# Prints in place of returning; says nothing of averages or formulas.
# finds: returns-nothing
# not: six-db, averages
def bits_for(w, target):
    print(8)
