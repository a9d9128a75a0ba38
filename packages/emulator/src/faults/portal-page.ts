/** The response of a captive portal to every request until the user accepts its terms. */
export const portalPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Welcome to our network</title></head>
<body><h1>Welcome</h1><p>Please accept the terms of use to go online.</p></body></html>
`
