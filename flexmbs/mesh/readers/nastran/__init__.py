"""Reader of Nastran bulk data (.bdf, .dat, .nas): MSC, NX and Simcenter, Optistruct, MYSTRAN, NASTRAN-95."""
