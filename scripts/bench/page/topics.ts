/** What a reader needs to know about the figures of one topic. */
export interface Topic {
  readonly title: string
  /** What is measured, and what a good result is. */
  readonly meaning: string
}

/** In the page's order. Topics that aren't listed here come last, under their own name. */
export const topics: Readonly<Record<string, Topic>> = {
  sizes: {
    title: 'Size',
    meaning:
      'How much Latchkey adds to an app. esbuild bundles and minifies everything, and gzip compresses it. Electron and Node ' +
      'are not included. The goal for the activation window is 20 kB at most, including English.',
  },
  launch: {
    title: 'Launch of an activated app',
    meaning:
      'From the start of the process to the first window: the [example app](../examples/activation-app) compared with the ' +
      'same app without Latchkey, in pairs. The ratio shows how much longer a user waits at each launch. A ratio of 1 ' +
      'would mean no difference.',
  },
  peers: {
    title: 'Compared with other packages',
    meaning:
      'The notebook of the [example app](../examples/activation-app), activated, behind Latchkey and behind each package with ' +
      'the same purpose: launched in turns, in one run. A lower figure is better in every row. The first window is ' +
      'shown and painted in all; ratios are the median of the rounds’ ratios to the notebook without a gate.',
  },
  start: {
    title: 'The decision at launch',
    meaning:
      'From `licensing.start()` to a decided state on an activated device. The decision comes from the disk, so it must take ' +
      'the same time however slow the service is. The goal for the main thread is less than 10 ms of processor time.',
  },
  services: {
    title: 'Launch with each service',
    meaning:
      'From `createLicensing()` to a decided state on an activated device, with each licensing service that has an adapter. ' +
      'The decision comes from the disk, so a ratio of 1 would mean that every adapter costs the same. With `leaseKeys` or ' +
      'Keygen’s `publicKey`, each launch also verifies a signature.',
  },
  window: {
    title: 'The activation window',
    meaning:
      'From the call to the first text in the window, compared with an empty window with a static page. The goal is a ' +
      'ratio of 1.1 at most.',
  },
  walk: {
    title: 'Walking long lists',
    meaning:
      'Reading every page of a long list and checking each item, compared with a bare `fetch` and `JSON.parse` of the ' +
      'same pages. The goals: at least 0.6 of their speed, a heap that grows by less than 20 MB, and 1.8 times the speed ' +
      'with prefetching if the service answers in 50 ms.',
  },
  'gateway-throughput': {
    title: 'The gateway under load',
    meaning:
      'Requests per second, compared with a bare reverse proxy of the same route, in pairs. The goals: 0.8 of its speed, ' +
      'and 0.65 if every answer is signed.',
  },
  'gateway-leases': {
    title: 'Leases',
    meaning:
      'The cost of signing one answer on the gateway, and of verifying one. A device asks about once a day, so a single ' +
      'core can sign for millions of devices.',
  },
  'gateway-memory': {
    title: 'Memory of the gateway',
    meaning: 'How much memory the process uses while it is kept busy. The goal is a line that does not rise.',
  },
}
