# finds: always-smaller
# needs: executorch
def smaller_file():
    return "int8"
