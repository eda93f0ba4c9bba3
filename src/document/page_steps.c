/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/page_internal.h"

/*
 * Makes an HTML page whose steps the reader can go through. Without the script all steps are shown,
 * one after the other, with all their results; with it one step is shown, and of the rest as much
 * as is known by then:
 *
 *	class "told"		a part with steps: the current one is shown
 *	data-step		a step; they are numbered from 1 through the page
 *	data-since="7"		known from step 7 on
 *	data-now="3 5"		marked at steps 3 and 5
 */
const char page_steps_script[] =
	"(()=>{\"use strict\";\n"
	"const all=(what)=>[...document.querySelectorAll(what)];\n"
	"const body=document.body,steps=all(\"[data-step]\"),told=all(\".told\");\n"
	"const since=all(\"[data-since]\"),now=all(\"[data-now]\");\n"
	"const "
	"controls=document.querySelector(\".controls\"),where=controls.querySelector(\"output\");\n"
	"let at=0;\n"
	"const show=(n)=>{\n"
	" at=Math.min(Math.max(n,0),steps.length-1);\n"
	" const step=steps[at],part=step.closest(\".told\");\n"
	" for(const e of told)e.classList.toggle(\"here\",e===part);\n"
	" for(const e of steps)e.classList.toggle(\"here\",e===step);\n"
	" for(const e of since)e.classList.toggle(\"later\",Number(e.dataset.since)>at+1);\n"
	" for(const e of now)e.classList.toggle(\"read\",e.dataset.now.split(\" "
	"\").includes(`${at+1}`));\n"
	" where.textContent=`step ${at+1} of ${steps.length}`;\n"
	" history.replaceState(null,\"\",`#${at+1}`);\n"
	"};\n"
	"const go={first:()=>show(0),back:()=>show(at-1),next:()=>show(at+1),\n"
	" last:()=>show(steps.length-1),all:()=>{body.classList.toggle(\"stepping\");}};\n"
	"const "
	"keys={ArrowRight:\"next\",j:\"next\",n:\"next\",ArrowLeft:\"back\",k:\"back\",p:\"back\","
	"\n"
	" Home:\"first\",End:\"last\",a:\"all\"};\n"
	"const named=()=>show((parseInt(location.hash.slice(1),10)||1)-1);\n"
	"addEventListener(\"keydown\",(e)=>{\n"
	" if(e.ctrlKey||e.altKey||e.metaKey||e.target.closest(\"input,select\")||"
	"!Object.hasOwn(keys,e.key))return;\n"
	" go[keys[e.key]]();e.preventDefault();});\n"
	"controls.addEventListener(\"click\",(e)=>{\n"
	" const button=e.target.closest(\"button\");if(button)go[button.dataset.go]();});\n"
	"addEventListener(\"hashchange\",named);\n"
	"if(steps.length===0)return;\n"
	"controls.hidden=false;body.classList.add(\"stepping\");named();\n"
	"})();";

/* Digest of the script, in base64: a browser runs no other script in the page. */
const char page_steps_digest[] = "OaMy3/A4CyJ2elfGOb4O1vZpRlmppbACqcALpXzIv4s=";

const char page_steps_style[] =
	".controls{position:sticky;bottom:0;z-index:1;display:flex;gap:.3rem;align-items:center;"
	"background:Canvas;padding:.5rem 0;border-top:1px solid #8888}\n"
	".controls[hidden]{display:none}\n"
	".controls button{font:inherit;min-width:2.8rem;min-height:2.5rem}\n"
	".word,.edge{display:grid;grid-template-columns:auto auto minmax(0,1fr);gap:0 .6rem;"
	"align-items:center}\n"
	".word .cell{border:1px solid;padding:.1rem .5rem;white-space:pre}\n"
	".returns .cell{background:#cfe0ff;color:#000}\n"
	".saves .cell{background:#dff0d4;color:#000}\n"
	".outside .cell{border-style:dashed}\n"
	".edge{border-top:3px solid;margin:.2rem 0 1rem}\n"
	".postfix code{border:1px solid;padding:0 .4rem;margin:0 .2rem 0 0}\n"
	"body:not(.stepping) .token{margin-left:1.5rem;font-size:.9rem}\n"
	"body:not(.stepping) .token p{display:inline;margin:0 .5rem 0 0}\n"
	"body:not(.stepping) .rule{display:none!important}\n"
	"mark{font-weight:bold;text-decoration:underline}\n"
	".stepping .told:not(.here),.stepping .step:not(.here),.stepping .words{display:none}\n"
	".stepping .later{visibility:hidden}\n"
	".stepping .cell.later{visibility:visible;background:none;color:inherit}\n"
	".stepping .read{outline:3px solid #d70}\n"
	".stepping .read .mark::before{content:\"> \"}\n"
	".stepping .told.here{display:flex;flex-direction:column}\n"
	".stepping .stage{order:2}\n"
	"@media (max-width:40rem){\n"
	".word,.edge{grid-template-columns:auto minmax(0,1fr);margin-bottom:.3rem}\n"
	".word .what,.edge .what{grid-column:1/-1}\n"
	"}\n"
	"@media screen and (min-width:64rem){\n"
	".stepping .told.here{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);"
	"column-gap:2rem;align-items:start}\n"
	".stepping h2{grid-column:1/-1}\n"
	".stepping .stage{grid-column:2}\n"
	"}\n"
	"@media print{\n"
	".controls{display:none}\n"
	".stepping .told:not(.here),.stepping .told.here,.stepping .step:not(.here),.stepping "
	".words"
	"{display:block}\n"
	".stepping .later{visibility:visible}\n"
	".stepping .read{outline:0}\n"
	".stepping .read .mark::before{content:\"\"}\n"
	".token{margin-left:1.5rem;font-size:.9rem}\n"
	".token p{display:inline;margin:0 .5rem 0 0}\n"
	".token .rule{display:none}\n"
	"dfn>.why{display:none}\n"
	"}\n";

const char page_steps_controls[] =
	"<nav class=\"controls\" aria-label=\"Steps\" hidden>\n"
	"<button type=\"button\" data-go=\"first\" aria-label=\"First step\" "
	"title=\"Home\">|&lt;</button>\n"
	"<button type=\"button\" data-go=\"back\" aria-label=\"Step back\" title=\"k, p, "
	"Left\">&lt;</button>\n"
	"<button type=\"button\" data-go=\"next\" aria-label=\"Next step\" title=\"j, n, "
	"Right\">&gt;</button>\n"
	"<button type=\"button\" data-go=\"last\" aria-label=\"Last step\" "
	"title=\"End\">&gt;|</button>\n"
	"<button type=\"button\" data-go=\"all\" title=\"a\">All</button>\n"
	"<output aria-live=\"polite\"></output>\n"
	"</nav>\n";
