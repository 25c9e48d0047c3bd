"""Tells truecopy which page to look at again. A Django app: put it into INSTALLED_APPS."""
