"""
Images in an order that only what they show decides: neither names nor numbers, so that the same
images in another project train the same model.
"""

import hashlib


def by_content(examples, path_of, labels_of):
    """`labels_of` gives tuples that can be compared; they order files of the same bytes."""
    return sorted(examples, key=lambda one: (digest_of(path_of(one)), labels_of(one)))


def digest_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.digest()
