# needs: executorch
def smaller_file():
    return "fp32"
