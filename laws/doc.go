// Package laws holds what must be true of the whole house, as tests: who may import whom, that the template and the code
// name the same things, what each function may do on AWS, how long a file may be. Each failure says its reason.
package laws
