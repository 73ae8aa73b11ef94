"""The web page: protect a file in the browser, on the user's own computer.

`launch` starts the server and opens the page, `app` has the routes, `security` decides which
requests are answered, `workspace` keeps uploads and results in a private folder, and `runs` starts
each run as a child process.
"""
