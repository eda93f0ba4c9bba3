/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/page_internal.h"

/*
 * Checks answers in an HTML page, which has digests of the right answers and of misconceptions, and
 * sentences that only such an answer makes readable:
 *
 *	form.answer		a question; its first control has the answer
 *	  data-task="cfa"	name of the task, a part of its digests (check_digest)
 *	  data-check="value"	kind of the check (check_kind.def): how answers are read
 *	  data-registers="rsp=7ffe10 rip=401000"	names in an answer, with their values
 *	  data-names="x29=fp"	other names of registers
 *	  data-sp="7ffe10"	sp of the first frame; words of a set are relative to it
 *	  data-bits="64"	size of a word
 *	  data-of="0-1"		thread and frame of the task
 *	data[data-seals]	digests of equal answers; its text is hidden (check_write_hidden)
 *	a[data-of="0-1"]	shown when all tasks of this thread and frame are passed
 *
 * `forms` gives the normal forms of a typed answer, as check_normal() does of the truth. Digits
 * alone are hexadecimal, a number that is right in decimal is right as well. `sum` gives a base, an
 * offset, and whether the value is the word there; null: something else.
 */
const char *const page_answers_script[2] = {
	"(()=>{\"use strict\";\n"
	"const all=(what,from=document)=>[...from.querySelectorAll(what)];\n"
	"const seen=all(\"form.answer\");\n"
	"const bytes=(text)=>new TextEncoder().encode(text);\n"
	"const "
	"hash=(h,list)=>{for(const "
	"b of list)h=BigInt.asUintN(64,(h^BigInt(b))*0x100000001b3n);return h;};\n"
	"const digest=(name,text)=>{\n"
	" let h=hash(0xcbf29ce484222325n,bytes(name));const list=bytes(text+\"\\0\");\n"
	" for(let i=0;i<4096;i++)h=hash(h,list);\n"
	" return h;};\n"
	"const opened=(key,text)=>new TextDecoder().decode(Uint8Array.from(\n"
	" text.match(/../g)??[],(pair)=>{key=hash(key,[0]);return "
	"parseInt(pair,16)^Number(key>>32n&255n);}));\n"
	"const "
	"names=(form)=>new Map((form.dataset.registers??\"\").split(\" \").map((one)=>{\n"
	" const [name,value]=one.split(\"=\");return[name,value?BigInt(\"0x\"+value):null];}));\n"
	"const number=(word,base)=>\n"
	" /^0x[0-9a-f]+$/.test(word)?BigInt(word):base===10&&/^\\d+$/.test(word)?BigInt(word):\n"
	" base===16&&/^[0-9a-f]+$/.test(word)?BigInt(\"0x\"+word):null;\n"
	"const wrap=(v)=>v?.word?{base:`(${v.base}+${v.at}^)`,at:0n}:v;\n"
	"const sum=(text,known,base,read)=>{\n"
	" const term=(word,base)=>known.has(word)?{base:word,at:0n}:\n"
	"  number(word,base)===null?null:{base:\"\",at:number(word,base)};\n"
	" const add=(a,b,sign)=>{\n"
	"  [a,b]=[wrap(a),wrap(b)];\n"
	"  return!a||!b||(b.base&&(a.base||sign<0n))?null:{base:a.base||b.base,"
	"at:a.at+sign*b.at};};\n"
	" if(!/[-+^]$/.test(text))\n"
	"  return text.split(/(?=[-+])/).reduce((a,part)=>{\n"
	"   const [,sign,word]=/^([-+]?)\\s*(\\S+)\\s*$/.exec(part)??[\"\",\"\",\"\"];\n"
	"   return add(a,term(word,base),sign===\"-\"?-1n:1n);},{base:\"\",at:0n});\n"
	" const stack=[];\n"
	" for(const word of text.split(/\\s+/)){\n"
	"  const last=stack.pop();\n"
	"  if(word===\"^\")stack.push(last&&(read?read(last):{...wrap(last),word:true}));\n"
	"  else if(word===\"+\"||word===\"-\")stack.push(add(stack.pop(),last,"
	"word===\"+\"?1n:-1n));\n"
	"  else{\n"
	"   const minus=/^-\\d/.test(word),value=term(minus?word.slice(1):word,10);\n"
	"   if(last!==undefined)stack.push(last);\n"
	"   stack.push(minus&&value?{...value,at:-value.at}:value);}}\n"
	" return stack.length===1?stack[0]:null;};\n"
	"const plain=(text)=>text.toLowerCase().replace(/[_ ]/g,\"-\");\n"
	"const forms=(form,typed)=>{\n"
	" const kind=form.dataset.check,bits=Number(form.dataset.bits),known=names(form);\n"
	" const other=new Map(form.dataset.names.split(\" \").map((one)=>one.split(\"=\")));\n"
	" const text=typed.trim(),lower=text.toLowerCase().replaceAll(\"$\",\"\")\n"
	"  .replace(/ bytes$/,\"\")\n"
	"  .replace(/[a-z_]\\w*/g,(word)=>other.get(word)??word);\n"
	" const hex=(value)=>BigInt.asUintN(bits,value).toString(16);\n"
	" const whole=(s)=>{\n"
	"  const of=s&&(s.base===\"\"?0n:known.get(s.base));\n"
	"  return!s||of===null?null:hex(s.at+of);};\n"
	" /* The word of memory at an address, in the views next to the card. */\n"
	" const read=(s)=>{\n"
	"  const found=new RegExp(`^[ >]*0*${whole(s)} .([0-9a-f]+)`,\"m\")\n"
	"   .exec(form.closest(\".told\").textContent);\n"
	"  return found&&{base:\"\",at:BigInt(\"0x\"+found[1])};};\n"
	" const value=(word,base)=>whole(sum(word,known,base,read));\n"
	" if(kind===\"choice\")return[plain(text)];\n"
	" if(kind===\"place\"&&/^[^ :]*:\\d+(:\\d+)?$/.test(text))return[text.split(\":\","
	"2).join(\":\")];\n"
	" if(kind===\"set\")return[[...new Set(lower.split(/[\\s,]+/)\n"
	"  .filter((word)=>!/^(and|frames?)?$/.test(word)).map((word)=>\n"
	"  known.has(word)?word:/^\\d{1,4}$/.test(word)?`${Number(word)}`:value(word,16)===null?"
	"plain(word):\n"
	"  \"sp+\"+hex(BigInt(\"0x\"+value(word,16))-BigInt(\"0x\"+form.dataset.sp))))]\n"
	"  .sort().map((word)=>word+\" \").join(\"\")];\n"
	" if(kind===\"rule\"){\n"
	"  const s=sum(lower.replace(/^\\S+:\\s/,\"\"),new Map([...known,[\".cfa\",0n]]),10);\n"
	"  return s?[`${s.base}+${hex(s.at)}${s.word?\"^\":\"\"}`]:[];}\n"
	" return[value(lower,16),value(lower,10)].filter((one)=>one!==null);};\n"
	,
	"const show=()=>{\n"
	" const open=seen.filter((form)=>!form.dataset.passed);\n"
	" for(const link of all(\"a[data-of]\"))\n"
	"  link.hidden=open.some((form)=>form.dataset.of===link.dataset.of);\n"
	" for(const text of all(\".passed\"))\n"
	"  text.textContent=`${seen.length-open.length} of ${seen.length} tasks passed`;};\n"
	"addEventListener(\"submit\",(e)=>{\n"
	" e.preventDefault();\n"
	" const form=e.target,task=form.dataset.task,list=forms(form,form.elements[0].value);\n"
	" const seals=list.map((one)=>digest(task,one).toString(16).padStart(16,\"0\"));\n"
	" const found=all(\"data\",form).map((data)=>{\n"
	"  const own=data.dataset.seals.split(\" \"),"
	"at=seals.findIndex((seal)=>own.includes(seal));\n"
	"  return{data,at,own:own.indexOf(seals[at])};}).find((one)=>one.at>=0);\n"
	" const right=found?.data.classList.contains(\"right\");\n"
	" if(right)form.dataset.passed=\"1\";\n"
	" form.querySelector(\"output\").textContent=\n"
	"  list.length===0?`Not understood; expected ${form.dataset.how}.`:!found?\"No.\":\n"
	"  (right?\"Right. \":\"No. \")+opened(digest(task+\">\",list[found.at]),\n"
	"   found.data.textContent.split(\" \")[found.own]);\n"
	" show();});\n"
	"for(const form of seen)form.hidden=false;\n"
	"show();\n"
	"})();",
};

/* Digest of the script, in base64: a browser runs no other script in the page. */
const char page_answers_digest[] = "urpmBskQrxEbcNvWlHR55KDtrCf8NxDdcJ0/RDymko0=";

const char page_answers_style[] =
	"nav{display:flex;flex-wrap:wrap;gap:.3rem 1rem}\n"
	"form.answer{display:flex;flex-wrap:wrap;gap:.4rem;margin:.6rem 0}\n"
	"form.answer[hidden],data{display:none}\n"
	".answer input,.answer select,.answer "
	"button{font:inherit;min-height:2.5rem;max-width:100%}\n"
	".answer input{flex:1 1 12rem;min-width:0}\n"
	".answer output{flex-basis:100%;font-weight:bold}\n"
	".stage pre{max-height:70vh;overflow:auto}\n"
	"@media print{\n"
	".card{break-before:page}\n"
	"nav,form.answer,.stage details:not([open]){display:none}\n"
	".stage pre{max-height:none}\n"
	"}\n";
