const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80">
<defs>
<linearGradient id="ink" x1=".2" y1="0" x2=".8" y2="1"><stop stop-color="#5a9bff"/><stop offset=".5" stop-color="#3a5bf2"/><stop offset="1" stop-color="#6b35e6"/></linearGradient>
<linearGradient id="rim" x1="0" y1="0" x2="0" y2="1"><stop stop-color="#fff" stop-opacity=".55"/><stop offset=".4" stop-color="#fff" stop-opacity="0"/></linearGradient>
<linearGradient id="nib" x1="0" y1="0" x2="0" y2="1"><stop stop-color="#fff"/><stop offset="1" stop-color="#d9e2ff"/></linearGradient>
</defs>
<path d="M0 26C0 8 8 0 26 0h28c18 0 26 8 26 26v28c0 18-8 26-26 26H26C8 80 0 72 0 54z" fill="url(#ink)"/>
<path d="M.75 26C.75 8.500 8.500 .75 26 .75h28c17.500 0 25.250 7.750 25.250 25.250v28c0 17.500-7.750 25.250-25.250 25.250H26C8.500 79.250 .75 71.500 .75 54z" fill="none" stroke="url(#rim)" stroke-width="1.500"/>
<path d="M31 15h18c.8 8.500 3.200 14.500 8 21.500L42.400 63.500a2.750 2.750 0 0 1-4.800 0L23 36.500c4.800-7 7.200-13 8-21.500z" fill="url(#nib)"/>
<path d="M40 62V42" stroke="#3a4fe6" stroke-width="2.500" stroke-linecap="round"/>
<circle cx="40" cy="38" r="4.500" fill="#3a4fe6"/>
</svg>`

/** Logo of an app called Inkpad. */
export const logo: string = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
