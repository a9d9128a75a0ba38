export * from '@latchkey/services/commerce'
