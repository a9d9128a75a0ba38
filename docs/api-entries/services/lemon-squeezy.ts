export * from '@latchkey/services/lemon-squeezy'
