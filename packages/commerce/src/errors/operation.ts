/** One operation of the service's interface, named like the client's method that performs it. */
export type Operation =
  | 'licenses.keys'
  | 'licenses.key'
  | 'licenses.activate'
  | 'licenses.validate'
  | 'licenses.deactivate'
  | 'discounts.list'
  | 'customers.list'
