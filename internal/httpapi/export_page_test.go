package httpapi

// NewPage is [Page] over other assets than the embedded ones.
var NewPage = newPage
