"""The pages, one file per step: data, roles, protection, results.

Each function takes the server and a request and returns a response; `app` has their addresses.
"""
