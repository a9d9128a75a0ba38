import type { ActivationScreen } from '../../../src/shared/activation-screen.ts'

/** What a main process says about the looks of an app called Inkpad. */
export const screen: ActivationScreen = {
  title: 'Inkpad',
  logo: null,
  accent: null,
  serviceHost: 'licensing.inkpad.example',
  links: ['buy', 'renew', 'coveredVersion', 'support', 'devices'],
  locale: 'en',
  strings: {},
  prefilledText: null,
}
