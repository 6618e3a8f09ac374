package command

// Examples is how the served page finds values for its ready tabs.
var Examples = examples
