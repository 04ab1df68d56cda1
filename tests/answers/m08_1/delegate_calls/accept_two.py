# needs: executorch
def delegate_calls():
    return 2
