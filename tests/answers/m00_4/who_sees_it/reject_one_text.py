# finds: form


def who_sees_it():
    return "old old new new new"
