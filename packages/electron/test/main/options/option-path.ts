import type {
  ActivationWindowOptions,
  DeviceOptions,
  LicensingOptions,
  OfflineActivationOptions,
  ServiceOptions,
} from '../../../src/main/options/licensing-options.ts'

/** Options that are objects of options of their own. */
interface Groups {
  readonly service: ServiceOptions
  readonly device: DeviceOptions
  readonly offlineActivation: OfflineActivationOptions
  readonly window: ActivationWindowOptions
}

type PathsOf<Group extends keyof Groups> = `${Group}.${keyof Groups[Group] & string}`

/** Every option of `createLicensing`, such as `graceDays` and `service.headers`. */
export type OptionPath =
  | Exclude<keyof LicensingOptions, keyof Groups>
  | { readonly [Group in keyof Groups]: PathsOf<Group> }[keyof Groups]
