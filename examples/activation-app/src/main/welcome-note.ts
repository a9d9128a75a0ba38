/** The first note of a new notebook. */
export const welcomeNote = {
  name: 'Welcome to Inkwell',
  text: `# Welcome to Inkwell

Inkwell keeps your notes as plain **Markdown files** on this computer. Nothing is uploaded, and any other editor can open them.

## Writing

- Type on the left; the page on the right follows.
- Every note is saved as you type. There is no save button.
- Click the title to rename a note.

## Things Markdown can do

> The palest ink is better than the best memory.

1. Lists, like this one
2. \`code\`, and blocks of it
3. [Links](https://commonmark.org/help/), which open in your browser

| Shortcut | Does |
|---|---|
| Ctrl N | new note |
| Ctrl F | search |
| Ctrl E | write, split, read |

- [x] Start Inkwell
- [ ] Write the first note
`,
} as const
