export * from '@latchkey/services/polar'
