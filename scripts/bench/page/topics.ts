/** What a reader has to know about the figures of one topic. */
export interface Topic {
  readonly title: string
  /** What is measured, and what would be good. */
  readonly meaning: string
}

/** In the order in which the page tells them; a topic that is not named here comes last, under its own name. */
export const topics: Readonly<Record<string, Topic>> = {
  sizes: {
    title: 'Size',
    meaning:
      'What an app grows by. Everything is bundled by esbuild, minified, and compressed with gzip; Electron and ' +
      'Node are left out. The aim for the activation screen is 20 kB at most, Lit included.',
  },
  launch: {
    title: 'Launch of an activated app',
    meaning:
      'From the start of the process to the first window of the [example app](../examples/activation-app), and of ' +
      'the same app with Latchkey taken out, in pairs. The ratio is what a user waits longer at each launch; 1 ' +
      'would be nothing.',
  },
  start: {
    title: 'The decision at launch',
    meaning:
      'From `licensing.start()` to a decided state on an activated device. It comes from the disk, so it must take ' +
      'the same time however slow the service is. The aim for the main thread is under 10 ms of processor time.',
  },
  window: {
    title: 'The activation window',
    meaning:
      'From the call to the first words on the screen, beside an empty window with a static page. The aim is a ' +
      'ratio of 1.2 at most.',
  },
  walk: {
    title: 'Walking long lists',
    meaning:
      'Reading every page of a long list with full checking of each item, beside a bare `fetch` and `JSON.parse` ' +
      'of the same pages. The aims: 0.6 of its speed or better, a heap that grows by less than 20 MB, and ' +
      'prefetching that is worth 1.8 times against a service that answers in 50 ms.',
  },
  'gateway-throughput': {
    title: 'The gateway under load',
    meaning:
      'Requests a second beside a bare reverse proxy of the same route, in pairs. The aims: 0.8 of its speed, and ' +
      '0.5 where every answer is signed.',
  },
  'gateway-leases': {
    title: 'Leases',
    meaning:
      'What it costs to sign one answer on the gateway, and to check one. A device asks about once a day, so a ' +
      'single core signs for millions of them.',
  },
  'gateway-memory': {
    title: 'Memory of the gateway',
    meaning: 'What the process holds while it is kept busy. The aim is a line that does not rise.',
  },
}
