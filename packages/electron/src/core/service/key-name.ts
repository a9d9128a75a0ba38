// App and gateway use the same functions to parse key names.
export { composeKeyName, type KeyName, parseKeyName } from '@latchkey/commerce'
