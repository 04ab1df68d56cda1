# finds: form
def who_sees_it():
    return {"1": "old"}
