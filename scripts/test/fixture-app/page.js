const trouble = new URLSearchParams(location.search).get('trouble')
if (trouble === 'console-error') console.error('fixture complained')
if (trouble === 'page-error') throw new Error('fixture page threw')
