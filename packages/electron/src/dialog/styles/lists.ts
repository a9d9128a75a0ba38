import { type CSSResult, css } from 'lit'

/** The details of a license and the list of devices: grouped lines with hairlines between them. */
export const lists: CSSResult = css`
  .details,
  .devices {
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) + 2px);
    background: var(--_raised);
    overflow: hidden;
  }
  .details > div,
  .device {
    display: flex;
    align-items: center;
    gap: 0.3em 1em;
    padding: 0.55em 1em;
  }
  .details > div {
    flex-wrap: wrap;
    align-items: baseline;
    justify-content: space-between;
  }
  .details > div + div,
  .device + .device {
    border-top: 1px solid var(--_line);
  }
  dt {
    color: var(--_quiet);
  }
  dd {
    font-weight: 500;
    font-variant-numeric: tabular-nums;
  }
  .code {
    font-family: var(--_mono);
    font-size: 0.95em;
  }
  .devices {
    max-height: 20em;
    overflow-y: auto;
  }
  .device {
    gap: 0.8em;
    font-weight: 400;
  }
  .device:hover {
    background: var(--_fill);
  }
  .device:has(:checked) {
    background: color-mix(in srgb, var(--_accent-text) 9%, transparent);
  }
  .device:has(:focus-visible) {
    outline: 2px solid var(--_accent-text);
    outline-offset: -2px;
    border-radius: var(--_radius);
  }
  .device input {
    flex: none;
    margin: 0;
    width: 1.15em;
    height: 1.15em;
    accent-color: var(--_accent-text);
    outline: none;
  }
  .device > span {
    flex: 1;
    display: flex;
    flex-direction: column;
    min-width: 0;
  }
  .device strong {
    font-weight: 550;
  }
  .device small {
    font-size: 0.9em;
    color: var(--_quiet);
  }
  .device em {
    flex: none;
    padding: 0.1em 0.7em;
    border-radius: 1em;
    background: var(--_fill);
    color: var(--_quiet);
    font-size: 0.86em;
    font-style: normal;
    font-weight: 550;
  }
  @media (forced-colors: active) {
    .device:has(:focus-visible) {
      outline-color: Highlight;
    }
  }
`
