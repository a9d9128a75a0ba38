/** What Inkwell's licenses can include. `licensing.has` knows no other names. */
interface LatchkeyRegister {
  feature: 'export'
}
