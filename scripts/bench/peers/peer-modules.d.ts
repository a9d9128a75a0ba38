// What the bench uses of packages outside the workspace, from their sources at the versions in peers.ts.

declare module '@anystack/electron-license' {
  export default class Anystack {
    constructor(config: {
      readonly api: { readonly url: string; readonly key: string; readonly productId: string }
      readonly license: { readonly checkIn: { readonly value: number; readonly unit: string } }
    })
    readonly fingerprint: string
    readonly store: { set(name: string, value: unknown): void }
    ifAuthorized(mainWindow: { show(): void }): void
  }
}

declare module 'electron-license-kit' {
  export class LicenseService {
    constructor(config: {
      readonly supabaseUrl: string
      readonly supabaseAnonKey: string
      readonly appName: string
    })
    login(email: string, password: string): Promise<unknown>
    validate(): Promise<{ readonly valid: boolean; readonly error?: string }>
  }
}
