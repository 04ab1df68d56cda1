# finds: none
# needs: executorch
def delegate_calls():
    return 0
