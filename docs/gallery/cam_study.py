"""Study: which spring keeps the follower on its cam?
==================================================

Twenty-five runs of the case ``cam_follower`` over two parameters, in parallel; what is there is never computed again.
Where the least force is negative, the follower would lift off.
"""

import numpy as np

import flexmbs as fm

study = fm.Study(
    "cam_follower",
    space={"k": (0.0, 4000.0), "w": (20.0, 60.0)},  # N/m of the spring, rad/s of the cam
    sampler=fm.Grid(5),
    figures=("force_min",),
    folder="cam_study",
    keep="figures",
)
study.run()
table = study.table()
least = np.array(table["force_min"])
print(f"{np.count_nonzero(least < 0)} of {len(least)} designs lift off; least force {least.min():.0f} N")
# %%
study.plot("surface", ["k", "w"], response="force_min", save="cam_study.png")
study.run_alone(int(np.argmin(least))).result.to_html("cam_study.html", force=True)
