# finds: one
# needs: executorch
def delegate_calls():
    return 1
