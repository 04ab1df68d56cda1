# finds: form
# needs: executorch
def smaller_file():
    return True
