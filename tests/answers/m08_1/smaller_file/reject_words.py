# finds: form
# needs: executorch
def smaller_file():
    return "the int8 file"
