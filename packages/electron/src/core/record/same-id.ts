// App, gateway and command line compare ids with the same function.
export { isSameId } from '@latchkey/commerce'
