# finds: per-op
# needs: executorch
def delegate_calls():
    return 6
