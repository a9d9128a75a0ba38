/** The buyer of every license. */
export const customer = {
  id: 'b0c1f5a0-6f9e-4d53-8a5e-0c8f5d1b2a34',
  name: 'Anna',
  email: 'anna@example.com',
} as const
